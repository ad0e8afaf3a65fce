# Completes the files of the Debian package before CPack packs them (CPACK_PRE_BUILD_SCRIPTS): copyright and changelog
# in Debian's form, a manual page of each program, made of its help, and the reasons for what lintian reports.
# SPDX-License-Identifier: Apache-2.0
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
set(texts ${root}/share/doc/opledger)
string(TIMESTAMP year "%Y" UTC)  # of SOURCE_DATE_EPOCH if that is set
execute_process(COMMAND date -R -u -d @$ENV{SOURCE_DATE_EPOCH} OUTPUT_VARIABLE date RESULT_VARIABLE failed
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed)
  execute_process(COMMAND date -R -u OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()

file(WRITE ${texts}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: opledger
Comment: The programs are linked statically. third-party/ has the copyright
 files of the libraries that they contain parts of, THIRD_PARTY.md the list.

Files: *
Copyright: 2026-${year} The authors of opledger
License: Apache-2.0
 On Debian systems, the text of the license is in
 /usr/share/common-licenses/Apache-2.0.
")
file(WRITE ${texts}/changelog
"opledger (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}, packed from a release's source.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")

# write_manual_page(PROGRAM SUMMARY): the program's help, as it is, in sections of a manual page.
function(write_manual_page program summary)
  execute_process(COMMAND ${CPACK_OPLEDGER_EMULATOR} ${root}/bin/${program} --help TIMEOUT 60 INPUT_FILE /dev/null OUTPUT_VARIABLE help
                  RESULT_VARIABLE failed ERROR_QUIET)
  if(failed)
    set(help "")
  endif()
  string(REPLACE "\\" "\\e" help "${help}")
  string(REPLACE "-" "\\-" help "${help}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" help "${help}")
  string(TOUPPER ${program} title)
  string(REPLACE "-" "\\-" name ${program})
  if(help)
    set(help ".SH DESCRIPTION\n.nf\n${help}.fi\n")
  endif()
  file(WRITE ${root}/share/man/man1/${program}.1
".TH ${title} 1 \"\" \"opledger ${CPACK_PACKAGE_VERSION}\"
.SH NAME
${name} \\- ${summary}
.SH SYNOPSIS
.B ${name}
[OPTIONS]
${help}.SH SEE ALSO
.BR opledger (1),
.B opledger VERB \\-\\-help
")
endfunction()
file(GLOB programs RELATIVE ${root}/bin ${root}/bin/*)
set(summary_of_opledger "check operators against precision lists, and convert models by them")
set(summary_of_opledger-convert "convert models to mixed precision; started by opledger")
set(summary_of_opledger-run "run models, compare and measure them; started by opledger")
set(summary_of_opledger-scan "find the operators that sources register; started by opledger")
set(summary_of_opledger-scan-ast "evaluate names in sources; started by opledger\\-scan")
set(summary_of_opledger-cuda-selftest "test and measure the kernels on this machine's GPU")
foreach(program IN LISTS programs)
  if(NOT summary_of_${program})
    message(FATAL_ERROR "ci/debian.cmake has no summary of ${program}, which its manual page needs")
  endif()
  write_manual_page(${program} "${summary_of_${program}}")
endforeach()

file(WRITE ${root}/share/lintian/overrides/opledger
"# One package fits every release of Debian and Ubuntu, and the programs start in
# half the time. A library's fix needs a new version of this package.
opledger: statically-linked-binary
opledger: embedded-library
# The project has no address before its first release.
opledger: bogus-mail-host
")
file(GLOB pages ${root}/share/man/man1/*.1)
execute_process(COMMAND gzip -9n ${texts}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
