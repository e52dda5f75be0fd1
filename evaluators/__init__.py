"""Problems: data sets, batched solver templates and trusted scoring."""
