"""Drawing shared by the games: text now, rasters later; numpy only."""
