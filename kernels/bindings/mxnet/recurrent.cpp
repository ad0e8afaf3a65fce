// MXNet's RNN: layers of recurrent cells whose parameters are in one vector: the weights of every
// layer and direction (input's, then state's, then the projection's), then their biases. See
// src/operator/rnn_impl.h. MXNet's CPU code ignores sequence lengths and lstm's cell clipping; here
// they follow its documentation and GPU code.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "kernels/bindings/mxnet/node.h"

namespace opledger {
namespace {

struct RecurrentMode {
  std::string_view name;
  const char* kernel;
  std::vector<std::int64_t> gates;  // MXNet's gates in the order of the kernel
};

// MXNet has i f g o and r z n; the kernels, as ONNX, i o f g and z r n.
const RecurrentMode* FindMode(std::string_view name) {
  static const std::vector<RecurrentMode> kModes = {{"lstm", "Lstm", {0, 3, 1, 2}},
                                                    {"gru", "Gru", {1, 0, 2}},
                                                    {"rnn_relu", "Rnn", {0}},
                                                    {"rnn_tanh", "Rnn", {0}}};
  const auto found = std::find_if(kModes.begin(), kModes.end(),
                                  [&](const RecurrentMode& mode) { return mode.name == name; });
  return found == kModes.end() ? nullptr : &*found;
}

class RecurrentLayers {
 public:
  explicit RecurrentLayers(const MxnetNode& node) : node_(node), chain_(node) {}

  LoweredNode Bind();

 private:
  std::string Read();
  std::int64_t GateRows() const { return static_cast<std::int64_t>(mode_->gates.size()) * hidden_; }
  std::int64_t WidthOf(std::int64_t layer) const {
    return layer == 0 ? node_.Shape(0)[2] : directions_ * state_;
  }
  std::int64_t WeightsOf(std::int64_t layer) const {
    return GateRows() * (WidthOf(layer) + state_) + (projects_ ? state_ * hidden_ : 0);
  }
  std::string ReadStates();
  int Places(const std::vector<std::int64_t>& offsets, std::int64_t width);
  int PlacesInOrder(const std::vector<std::int64_t>& offsets, std::int64_t count);
  void FindNumbers();
  int Take(int places, const Dimensions& shape);
  int StateOf(std::int64_t layer, int input);
  int Lengths();
  void RunLayer(std::int64_t layer);

  // Positions of a layer's parameters in the vector, as constants of the chain.
  struct LayerPlaces {
    int weights = 0;
    int recurrence = 0;
    int biases = 0;
    int projection = -1;
  };

  const MxnetNode& node_;
  CallChain chain_;
  const RecurrentMode* mode_ = nullptr;
  std::int64_t hidden_ = 0;
  std::int64_t state_ = 0;  // size of the state: hidden_, or the projection size
  bool projects_ = false;
  bool clips_ = false;  // clips the cell after each step
  int lengths_ = -1;    // index of the sequence lengths in the chain
  std::int64_t layers_ = 0;
  std::int64_t directions_ = 1;
  std::int64_t biases_ = 0;  // offset of the biases
  std::vector<LayerPlaces> places_;
  int value_ = 0;  // the input of the next layer
  std::vector<int> last_states_;
  std::vector<int> last_cells_;
};

// Returns a problem, or an empty string.
std::string RecurrentLayers::Read() {
  const std::string name = node_.Word("mode", "");
  mode_ = FindMode(name);
  if (mode_ == nullptr) return "there is no kernel for its mode '" + name + "'";
  const bool has_min = node_.Word("lstm_state_clip_min", "None") != "None";
  clips_ = node_.Word("lstm_state_clip_max", "None") != "None";
  if (has_min != clips_) return "it has only one of lstm_state_clip_min and lstm_state_clip_max";
  if (clips_ && mode_->gates.size() != 4) return "MXNet clips only the state of lstm";
  hidden_ = node_.Integer("state_size", 0);
  layers_ = node_.Integer("num_layers", 0);
  directions_ = node_.Flag("bidirectional", false) ? 2 : 1;
  constexpr std::int64_t kMax = 1 << 20;
  state_ = node_.Integer("projection_size", hidden_);
  projects_ = node_.Word("projection_size", "None") != "None";
  if (projects_ && name != "lstm") return "MXNet projects only the state of lstm";
  if (hidden_ < 1 || hidden_ > kMax || layers_ < 1 || layers_ > 1024 || node_.Rank(0) != 3 ||
      node_.Rank(1) != 1 || node_.Shape(0)[2] > kMax || state_ < 1 || state_ > kMax) {
    return "its sizes are out of range";
  }
  if (std::string problem = ReadStates(); !problem.empty()) return problem;
  for (std::int64_t layer = 0; layer < layers_; ++layer) biases_ += directions_ * WeightsOf(layer);
  if (node_.Shape(1)[0] != biases_ + layers_ * directions_ * 2 * GateRows()) {
    return "its parameters do not match its layers";
  }
  return {};
}

std::string RecurrentLayers::ReadStates() {
  const std::int64_t batches = node_.Shape(0)[1];
  const std::size_t states = mode_->gates.size() == 4 ? 2 : 1;
  for (std::size_t i = 0; i < states; ++i) {
    const Dimensions shape = {layers_ * directions_, batches, i == 0 ? state_ : hidden_};
    if (!node_.Has(2 + i) || node_.Shape(2 + i) != shape) return "its states do not fit its layers";
  }
  if (!node_.Flag("use_sequence_length", false)) return {};
  lengths_ = static_cast<int>(2 + states);
  if (!node_.Has(2 + states) || node_.Shape(2 + states) != Dimensions{batches}) {
    return "its lengths are not one for each sequence";
  }
  return {};
}

// Adds an operand with the positions of `count` elements from each offset on.
int RecurrentLayers::PlacesInOrder(const std::vector<std::int64_t>& offsets, std::int64_t count) {
  ConstantTensor places({Dtype::kInt64, {static_cast<std::int64_t>(offsets.size()) * count}});
  auto* place = places.As<std::int64_t>();
  for (const std::int64_t offset : offsets) {
    std::iota(place, place + count, offset);
    place += count;
  }
  return chain_.Operand(std::move(places));
}

// Adds an operand with the positions, from each offset on, of the rows of all gates in the kernel's
// order. Rows have `width` elements.
int RecurrentLayers::Places(const std::vector<std::int64_t>& offsets, std::int64_t width) {
  ConstantTensor places(
      {Dtype::kInt64, {static_cast<std::int64_t>(offsets.size()) * GateRows() * width}});
  auto* place = places.As<std::int64_t>();
  for (const std::int64_t offset : offsets) {
    for (const std::int64_t gate : mode_->gates) {
      std::iota(place, place + hidden_ * width, offset + gate * hidden_ * width);
      place += hidden_ * width;
    }
  }
  return chain_.Operand(std::move(places));
}

// Constants must be added before calls.
void RecurrentLayers::FindNumbers() {
  std::int64_t weights = 0;
  std::int64_t biases = biases_;
  for (std::int64_t layer = 0; layer < layers_; ++layer) {
    const std::int64_t width = WidthOf(layer);
    std::vector<std::int64_t> of_input;
    std::vector<std::int64_t> of_state;
    std::vector<std::int64_t> of_biases;
    std::vector<std::int64_t> of_projection;
    for (std::int64_t i = 0; i < directions_; ++i) {
      of_input.push_back(weights);
      of_state.push_back(weights + GateRows() * width);
      of_biases.push_back(biases);
      of_biases.push_back(biases + GateRows());
      of_projection.push_back(weights + GateRows() * (width + state_));
      weights += WeightsOf(layer);
      biases += 2 * GateRows();
    }
    LayerPlaces& places = places_.emplace_back();
    places.weights = Places(of_input, width);
    places.recurrence = Places(of_state, state_);
    if (projects_) places.projection = PlacesInOrder(of_projection, state_ * hidden_);
    places.biases = Places(of_biases, 1);
  }
}

// Gathers the parameters at `places` into a tensor of this shape.
int RecurrentLayers::Take(int places, const Dimensions& shape) {
  const int taken = chain_.Gathered(1, places, 0);
  chain_.Last().shapes[0] = shape;
  return taken;
}

// Returns the index of a layer's initial state.
int RecurrentLayers::StateOf(std::int64_t layer, int input) {
  const int state = chain_.Call("Slice", {input});
  Parameters& parameters = chain_.Last().parameters;
  parameters.Set("starts", Integers{layer * directions_, 0, 0});
  parameters.Set("steps", Integers{1, 1, 1});
  parameters.Set("shape", Integers{directions_, node_.Shape(0)[1], input == 2 ? state_ : hidden_});
  return state;
}

// Returns the index of the lengths, cast to the kernels' type; -1 if there are no lengths.
int RecurrentLayers::Lengths() {
  if (lengths_ < 0) return -1;
  const int lengths = chain_.Call("Cast", {lengths_});
  chain_.Last().parameters.Set("to", DtypeName(Dtype::kInt32));
  return lengths;
}

void RecurrentLayers::RunLayer(std::int64_t layer) {
  const LayerPlaces& places = places_[static_cast<std::size_t>(layer)];
  const bool is_lstm = mode_->gates.size() == 4;
  std::vector<int> inputs = {value_,
                             Take(places.weights, {directions_, GateRows(), WidthOf(layer)}),
                             Take(places.recurrence, {directions_, GateRows(), state_}),
                             Take(places.biases, {directions_, 2 * GateRows()}),
                             lengths_,
                             StateOf(layer, 2)};
  if (is_lstm) inputs.push_back(StateOf(layer, 3));
  if (projects_) {
    inputs.push_back(-1);
    inputs.push_back(Take(places.projection, {directions_, state_, hidden_}));
  }
  const int first = chain_.CallForAll(mode_->kernel, std::move(inputs), is_lstm ? 3 : 2);
  chain_.Last().parameters.Set("directions", directions_);
  chain_.Last().parameters.Set("reset_after", std::int64_t{1});
  chain_.Last().parameters.Set("function",
                               std::string(mode_->name == "rnn_relu" ? "relu" : "tanh"));
  if (clips_) {
    Parameters& parameters = chain_.Last().parameters;
    parameters.Set("cell_min", node_.Number("lstm_state_clip_min", 0));
    parameters.Set("cell_max", node_.Number("lstm_state_clip_max", 0));
    const bool nan_goes = node_.Flag("lstm_state_clip_nan", false);
    parameters.Set("cell_nan_stays", std::int64_t{nan_goes ? 0 : 1});
  }
  last_states_.push_back(first + 1);
  last_cells_.push_back(first + 2);
  // (steps, directions, batches, hidden) -> (steps, batches, both directions)
  value_ = chain_.Call("Transpose", {first});
  chain_.Last().parameters.Set("order", Integers{0, 2, 1, 3});
  chain_.Last().shapes[0] = {node_.Shape(0)[0], node_.Shape(0)[1], directions_ * state_};
}

LoweredNode RecurrentLayers::Bind() {
  if (std::string problem = Read(); !problem.empty()) return Unsupported(problem);
  FindNumbers();
  lengths_ = Lengths();
  for (std::int64_t layer = 0; layer < layers_; ++layer) RunLayer(layer);
  const std::vector<int>* states[] = {&last_states_, &last_cells_};
  for (int i = 0; i < 2; ++i) {
    if (!node_.Wants(static_cast<std::size_t>(i) + 1)) continue;
    chain_.Give("Concat", *states[i], i + 1);
    chain_.Last().parameters.Set("axis", std::int64_t{0});
  }
  LoweredNode bound = std::move(chain_).Finish("Identity", {value_});
  bound.results = {0};
  return bound;
}

LoweredNode BindRnn(const MxnetNode& node) { return RecurrentLayers(node).Bind(); }

}  // namespace

const std::vector<MxnetBinding>& MxnetRecurrent() {
  static const std::vector<MxnetBinding> kTable = {{"RNN", BindRnn, 3}};
  return kTable;
}

}  // namespace opledger
