"""BiNOTEARS: causal structure in binary data, with interactions of any order."""
