/**
 * The tables of the store, for both databases.
 *
 * - `inbox`: one row per item, written once. Ordinal 0 also carries the delivery with its keys. Rows that must not block
 *   others (conflicts, repeats under another identity, further items of a batch) have no keys, and `of` names the first row.
 * - `contents`: body and facts of an inbox row; removed earlier than the row.
 * - `work`: one row per **open** item or send, deleted when it is done. See `states.ts`.
 * - `copies`: how often a known delivery arrived again. There is no second body.
 * - `bursts`: the members of a sealed burst. `results`: what `once` returned.
 * - `customers`: what a handler reads at its start. `counts`: sums per hour for the metrics.
 * - `processes`: one lease per process. A missing row means dead.
 * - `meta`: the last id, the generation, `restored_upto`.
 *
 * A lane is the unique index `work_lane`: at most one row of a lane is its head or running. There is no table of lanes.
 * Ids of inbox rows, sends and processes are taken from one counter, which never goes back. So an id is never reused, even
 * after the newest row was pruned, and `work.item` names a row of `inbox` or of `sends` without a second column.
 */
const TABLES = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE processes (id INTEGER PRIMARY KEY, expires_at INTEGER NOT NULL, dead INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE TABLE inbox (
    id INTEGER PRIMARY KEY, of INTEGER, ordinal INTEGER NOT NULL, replaces INTEGER,
    subscription TEXT, delivery_id TEXT, timestamp INTEGER, digest BLOB, event TEXT NOT NULL,
    received_at INTEGER NOT NULL, clock_offset INTEGER NOT NULL, trace TEXT,
    lane TEXT, number TEXT NOT NULL, customer TEXT, kind TEXT NOT NULL, at INTEGER NOT NULL,
    identity TEXT, binding BLOB, cause TEXT, mark TEXT) STRICT;
  CREATE UNIQUE INDEX inbox_id ON inbox (subscription, delivery_id);
  CREATE UNIQUE INDEX inbox_signed ON inbox (subscription, timestamp, digest);
  CREATE UNIQUE INDEX inbox_identity ON inbox (number, identity);
  CREATE UNIQUE INDEX inbox_conflict ON inbox (of, digest) WHERE mark = 'conflict';
  CREATE TABLE contents (id INTEGER PRIMARY KEY, facts TEXT, body BLOB) STRICT;
  CREATE TABLE work (
    item INTEGER PRIMARY KEY, lane TEXT NOT NULL, number TEXT NOT NULL, what TEXT NOT NULL, at INTEGER NOT NULL,
    state INTEGER NOT NULL, owner INTEGER, run INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0,
    due INTEGER NOT NULL, was_running INTEGER NOT NULL DEFAULT 0, followed INTEGER NOT NULL DEFAULT 0,
    finished TEXT, failure TEXT) STRICT;
  CREATE UNIQUE INDEX work_lane ON work (lane) WHERE state < 2;
  CREATE INDEX work_head ON work (what, number, due, item) WHERE state = 0;
  CREATE INDEX work_behind ON work (lane, at, item) WHERE state = 2;
  CREATE INDEX work_waiting ON work (due, item) WHERE state = 3;
  CREATE INDEX work_ended ON work (due, item) WHERE state = 7;
  CREATE TABLE copies (
    of INTEGER NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL, last_at INTEGER NOT NULL, headers TEXT,
    PRIMARY KEY (of, kind)) STRICT, WITHOUT ROWID;
  CREATE TABLE bursts (item INTEGER PRIMARY KEY, burst INTEGER NOT NULL) STRICT;
  CREATE INDEX bursts_burst ON bursts (burst);
  CREATE TABLE results (item INTEGER NOT NULL, name TEXT NOT NULL, result TEXT NOT NULL, PRIMARY KEY (item, name))
    STRICT, WITHOUT ROWID;
  CREATE TABLE customers (
    number TEXT NOT NULL, customer TEXT NOT NULL, last_at INTEGER, handled_at INTEGER, moved_at INTEGER, sent_at INTEGER,
    muted_until INTEGER, conversation INTEGER, session TEXT, session_version INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (number, customer)) STRICT, WITHOUT ROWID;
  CREATE TABLE conversations (
    id INTEGER PRIMARY KEY, number TEXT NOT NULL, customer TEXT NOT NULL, script TEXT NOT NULL, version TEXT,
    state TEXT NOT NULL, question TEXT, began_at INTEGER NOT NULL, ended_at INTEGER) STRICT;
  CREATE INDEX conversations_ended ON conversations (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE journal (
    conversation INTEGER NOT NULL, step INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT, digest TEXT, result TEXT,
    PRIMARY KEY (conversation, step)) STRICT, WITHOUT ROWID;
  CREATE TABLE timers (
    number TEXT NOT NULL, customer TEXT NOT NULL, name TEXT NOT NULL, due INTEGER NOT NULL, conversation INTEGER,
    data TEXT, PRIMARY KEY (number, customer, name)) STRICT, WITHOUT ROWID;
  CREATE INDEX timers_due ON timers (due);
  CREATE TABLE sends (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, number TEXT NOT NULL, customer TEXT NOT NULL, cause INTEGER, slot TEXT,
    announcement INTEGER, ref TEXT, body BLOB, fallback BLOB, via TEXT NOT NULL, state TEXT NOT NULL, error TEXT,
    created_at INTEGER NOT NULL, send_at INTEGER, first_attempt_at INTEGER, settled_at INTEGER, message_id TEXT,
    possibly_twice INTEGER NOT NULL DEFAULT 0, reports INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE UNIQUE INDEX sends_key ON sends (number, key);
  CREATE INDEX sends_message ON sends (number, message_id) WHERE message_id IS NOT NULL;
  CREATE INDEX sends_settled ON sends (settled_at) WHERE settled_at IS NOT NULL;
  CREATE INDEX sends_announcement ON sends (announcement, id) WHERE announcement IS NOT NULL;
  CREATE TABLE statuses (
    number TEXT NOT NULL, message_id TEXT NOT NULL, status TEXT NOT NULL, at INTEGER NOT NULL, received_at INTEGER NOT NULL,
    reason TEXT, PRIMARY KEY (number, message_id, status, at)) STRICT, WITHOUT ROWID;
  CREATE TABLE numbers (number TEXT PRIMARY KEY, stopped_for TEXT, until INTEGER, token_digest BLOB, rate TEXT)
    STRICT, WITHOUT ROWID;
  CREATE TABLE counts (
    hour INTEGER NOT NULL, number TEXT NOT NULL, what TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (hour, number, what))
    STRICT, WITHOUT ROWID;
  CREATE TABLE announcements (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, number TEXT NOT NULL, content TEXT NOT NULL, state TEXT NOT NULL,
    created_at INTEGER NOT NULL, ended_at INTEGER) STRICT;
  CREATE TABLE opt_outs (
    number TEXT NOT NULL, customer TEXT NOT NULL, topic TEXT NOT NULL, since INTEGER NOT NULL, source TEXT NOT NULL,
    PRIMARY KEY (number, customer, topic)) STRICT, WITHOUT ROWID;
  INSERT INTO meta (key, value) VALUES ('last_id', '0');`

/** The steps from an empty database to today's schema. The length of the list is the schema's version. */
export const MIGRATIONS: readonly string[] = [TABLES]
