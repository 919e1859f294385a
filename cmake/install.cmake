# Install rules: written by packaging
