// Opens the model once. For each request it takes the inputs from memory, makes a plan if the
// shapes are new, runs it, and writes the outputs to the requested place.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/commands/serve.h"

#include <cerrno>
#include <cstring>
#include <optional>

#include "kernels/commands/shared_memory.h"
#include "kernels/machine/backend.h"
#include "kernels/machine/replies.h"
#include "kernels/model/model.h"
#include "kernels/model/plan_cache.h"
#include "kernels/model/quantised_products.h"
#include "kernels/plan/device_copies.h"
#include "registry/json/json_fields.h"
#include "registry/json/json_write.h"
#include "registry/platform/input_lines.h"

namespace opledger {
namespace {

constexpr const char* kRequest = "a request";
// Larger tensors do not become constants of the plan, which outlives the request.
constexpr std::size_t kCopiedBytes = 4096;

class Server {
 public:
  Server(const ServeOptions& options, Diagnostics& diagnostics)
      : options_(options.model), diagnostics_(diagnostics), memory_(options.memory) {}

  bool Open();
  // Returns false, with errors, if the line is not a request.
  bool Answer(const std::string& line);
  void Greet();
  bool heard() const { return heard_; }  // whether replies can be written

 private:
  using Tensors = std::map<std::string, ConstantTensor>;

  bool Fail(const std::string& message, const std::string& remedy = {}) {
    diagnostics_.Error({.path = options_.model}, message, remedy);
    return false;
  }
  std::optional<Tensors> TakeTensors(JsonFields& request, const JsonDocument& document);
  std::optional<ConstantTensor> TakeTensor(JsonFields& fields, std::string& name);
  void Run(const Tensors& tensors, std::size_t room_at, std::size_t room);
  void Refuse(const Diagnostics& why);
  bool PutOutputs(const Executor& executor, std::size_t room_at, std::size_t room);
  void Send(const std::string& reply);

  const RunOptions& options_;
  Diagnostics& diagnostics_;
  SharedMemory memory_;
  std::optional<RunnableModel> model_;
  const Graph* graph_ = nullptr;  // of the model
  std::optional<Autocast> autocast_;
  Binding binding_;
  const Device* device_ = nullptr;
  std::optional<PlanCache> plans_;
  std::optional<PlanRequest> request_;
  bool heard_ = true;
};

bool Server::Open() {
  if (!memory_.Map()) return Fail("--serve: the descriptor is not a memory file");
  model_ = OpenRunnable(options_.model, options_.params, options_.inputs, diagnostics_);
  if (!model_) return false;
  if (!options_.autocast.dtype.empty()) {
    if (!RaiseOpsetFor(*model_, options_.autocast, diagnostics_)) return false;
    autocast_ = AutocastOf(*model_, options_.autocast, diagnostics_);
    if (!autocast_) return false;
  }
  KernelChoice choice = ChoiceFor(options_.device);
  choice.reference_only = options_.kernels == "reference";
  if (!choice.reference_only && choice.device == "cpu") {
    MultiplyBytes(*model_, autocast_ ? &*autocast_ : nullptr);
  }
  binding_ = Bind(*model_);
  graph_ = &model_->graph();
  if (choice.device != "cpu") {
    Status why;
    device_ = OpenDevice(choice.device, choice.device_number, why);
    if (device_ == nullptr) return Fail(why.message, why.hint);
  }
  request_ = PlanRequest{graph_, &binding_, {}, choice, nullptr, {}};
  if (autocast_) request_->autocast = &*autocast_;
  request_->lists_as_outputs = true;
  plans_.emplace(*request_, device_);
  return true;
}

void Server::Send(const std::string& reply) {
  if (!heard_ || SendReply(reply)) return;
  heard_ = false;
  if (errno != EPIPE) Fail("cannot write a reply: " + std::string(std::strerror(errno)));
}

void Server::Greet() {
  const Graph& graph = *graph_;
  std::string text;
  JsonWriter json(text);
  json.BeginCompactObject();
  json.Field("schema", "opledger-session/1");
  json.Records("inputs", RequiredInputs(graph), [&](ValueId input) {
    json.Field("name", graph.values[input].name);
    if (const auto dtype = graph.values[input].type.dtype) json.Field("dtype", DtypeName(*dtype));
  });
  json.Array("outputs", graph.scopes[0].outputs,
             [&](ValueId output) { json.String(graph.values[output].name); });
  json.EndObject();
  Send(text);
}

// Reports an invalid request and continues with the next one.
void Server::Refuse(const Diagnostics& why) {
  std::string text;
  JsonWriter json(text);
  json.BeginCompactObject();
  json.Records("errors", why.all(), [&](const Diagnostic& each) {
    json.Field("severity", SeverityName(each.severity));
    if (!each.location.path.empty()) json.Field("path", each.location.path);
    json.Field("message", each.message);
    if (!each.hint.empty()) json.Field("hint", each.hint);
  });
  json.EndObject();
  Send(text);
}

std::optional<ConstantTensor> Server::TakeTensor(JsonFields& fields, std::string& name) {
  name = fields.RequiredString("name");
  const auto dtype = ParseDtype(fields.RequiredString("dtype"));
  const JsonValue* shape = fields.Require("shape");
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  const std::int64_t offset = fields.Integer("offset", -1, 0, kMost);
  if (!fields.Finish() || !dtype || shape == nullptr) return std::nullopt;
  TensorType type{*dtype, {}};
  for (const JsonValue& each : shape->items) type.dimensions.push_back(each.integer);
  if (ElementSize(*dtype) == 0 || !CheckSize(type) || !memory_.Holds(offset, Bytes(type)) ||
      static_cast<std::size_t>(offset) % kTensorAlignment != 0) {
    return std::nullopt;
  }
  std::byte* const data = memory_.At(static_cast<std::size_t>(offset));
  ConstantTensor tensor;
  if (Bytes(type) <= kCopiedBytes) {
    tensor = ConstantTensor(type);
    std::memcpy(tensor.data.get(), data, Bytes(type));
  } else {
    tensor.type = type;
    tensor.data = std::shared_ptr<std::byte>(data, [](std::byte*) {});  // owned by the file
  }
  return tensor;
}

std::optional<Server::Tensors> Server::TakeTensors(JsonFields& request,
                                                   const JsonDocument& document) {
  Tensors tensors;
  for (const JsonValue& each : request.Objects("inputs")) {
    JsonFields fields(document, each, "a tensor", diagnostics_);
    std::string name;
    auto tensor = TakeTensor(fields, name);
    if (!tensor) {
      Fail("the tensor '" + name + "' is not within the memory file");
      return std::nullopt;
    }
    tensors[name] = std::move(*tensor);
  }
  return tensors;
}

bool Server::Answer(const std::string& line) {
  const auto document = ParseJson("request", line, diagnostics_);
  if (!document) return false;
  if (!memory_.Map()) return Fail("the memory file cannot be mapped");
  JsonFields fields(*document, document->root, kRequest, diagnostics_);
  const auto tensors = TakeTensors(fields, *document);
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  const auto room_at = static_cast<std::size_t>(fields.Integer("room_at", 0, 0, kMost));
  const auto room = static_cast<std::size_t>(fields.Integer("room", 0, 0, kMost));
  if (!fields.Finish() || !tensors) return false;
  if (room != 0 && !memory_.Holds(static_cast<std::int64_t>(room_at), room)) {
    return Fail("the space for outputs is not within the memory file");
  }
  Run(*tensors, room_at, room);
  return true;
}

void Server::Run(const Tensors& tensors, std::size_t room_at, std::size_t room) {
  Diagnostics why;
  InputOptions options;
  options.tensors = &tensors;
  const auto inputs = TakeInputs(*model_, options, why);
  if (!inputs) return Refuse(why);
  Status problem;
  Executor* executor = plans_->For(*inputs, problem);
  if (executor == nullptr) {
    why.Error({.path = options_.model}, StatusText(*graph_, problem));
    return Refuse(why);
  }
  executor->Run(inputs->For(executor->plan(), *graph_));
  if (!executor->status().ok()) {
    why.Error({.path = options_.model}, executor->ProblemText(*graph_));
    plans_.emplace(*request_, device_);  // the executor is unusable after an error
    return Refuse(why);
  }
  if (!PutOutputs(*executor, room_at, room)) {
    why.Error({.path = options_.model}, "there is not enough memory for the outputs");
    Refuse(why);
  }
}

// Writes to the given room if it is large enough; otherwise appends to the file.
bool Server::PutOutputs(const Executor& executor, std::size_t room_at, std::size_t room) {
  const ExecutionPlan& plan = executor.plan();
  const Graph& graph = *graph_;
  std::size_t needed = 0;
  for (const ValueId output : plan.outputs) needed += AlignedSize(Bytes(*plan.slots[output].type));
  if (needed > room) {
    const auto grown = memory_.Grow(needed);
    if (!grown) return false;
    room_at = *grown;
    room = needed;
  }
  std::string text;
  JsonWriter json(text);
  json.BeginCompactObject();
  json.Field("room_at", room_at);
  json.Field("room", room);
  std::size_t at = room_at;
  const std::vector<std::string> names = OutputNames(graph, plan);
  std::size_t index = 0;
  json.Records("outputs", plan.outputs, [&](ValueId output) {
    const TensorType& type = *plan.slots[output].type;
    if (Bytes(type) != 0) std::memcpy(memory_.At(at), executor.Data(output), Bytes(type));
    json.Field("name", names[index++]);
    json.Field("dtype", DtypeName(type.dtype));
    json.CompactArray("shape", type.dimensions);
    json.Field("offset", at);
    at += AlignedSize(Bytes(type));
  });
  if (!plan.output_lists.empty()) {
    json.Records("lists", plan.output_lists, [&](const ExecutionPlan::OutputList& list) {
      json.Field("name", graph.values[graph.scopes[0].outputs[list.output]].name);
      if (!list.is_empty_optional) json.Field("count", list.count);
    });
  }
  const std::string on_cpu =
      device_ == nullptr ? std::string() : CpuShareText(CpuShareOf(graph, plan));
  if (!on_cpu.empty()) json.Field("note", on_cpu);
  json.EndObject();
  Send(text);
  return true;
}

}  // namespace

int Serve(const ServeOptions& options, std::string&, Diagnostics& diagnostics) {
  SendReply("");
  Server server(options, diagnostics);
  if (!server.Open()) return 2;
  server.Greet();
  InputLines requests;
  bool understood = true;
  while (understood && server.heard()) {
    const auto line = requests.Next();
    if (!line) break;
    understood = server.Answer(*line);
  }
  return understood && server.heard() ? 0 : 2;
}

}  // namespace opledger
