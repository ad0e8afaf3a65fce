"""The pages of the site that ci/site makes."""

# SPDX-License-Identifier: Apache-2.0
