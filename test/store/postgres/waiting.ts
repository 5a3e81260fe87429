/** One row for each lock that somebody waits for in this database: the server tells of the databases of other tests too. */
export const WAITING =
  'SELECT 1 AS waits FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()'
