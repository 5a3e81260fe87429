/**
 * The part of the schema for a person who looks on: the record of acts, and indexes of states that a delivery and its
 * replies do not ordinarily come through, so that those pay for none of them. Their conditions have no lists: of a list of
 * more than two SQLite makes a table for each row that it writes.
 */
export const WATCH_TABLES = `
  -- What people did by the admin page. count: how many it changed; null until it has ended.
  CREATE TABLE acts (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    who TEXT NOT NULL,
    act TEXT NOT NULL,
    what TEXT NOT NULL,
    count INTEGER
  ) STRICT;

  CREATE INDEX items_state ON items (state, seq)
    WHERE state <> 'stored' AND state <> 'running' AND state <> 'done';
  CREATE INDEX deliveries_state ON deliveries (state, seq) WHERE state <> 'stored';
  -- Deliveries under an id that another one is known by; deliveries_id has the others.
  CREATE INDEX deliveries_again ON deliveries (delivery_id) WHERE holds_id = 0;
  CREATE INDEX sends_state ON sends (state, seq)
    WHERE state <> 'ready' AND state <> 'attempting' AND state <> 'accepted';
  CREATE INDEX sends_ref ON sends (ref) WHERE ref IS NOT NULL;
`
