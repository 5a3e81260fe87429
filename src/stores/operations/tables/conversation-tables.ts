/** The part of the schema that holds conversations, and the timers that wait for service times. */
export const CONVERSATION_TABLES = `
  -- Conversations and, in conversation_steps, their journals. waits: JSON of the step at which the script waits; null if it
  -- has ended. item is the one that entered it last.
  CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    number TEXT NOT NULL,
    customer TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    input TEXT,
    state TEXT NOT NULL,
    waits TEXT,
    ended TEXT,
    item INTEGER NOT NULL,
    opened_at INTEGER NOT NULL,
    ended_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX conversations_open ON conversations (number, customer) WHERE state = 'open';
  CREATE INDEX conversations_customer ON conversations (number, customer);

  -- result: JSON; null while the step has none.
  CREATE TABLE conversation_steps (
    conversation TEXT NOT NULL,
    step INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    result TEXT,
    PRIMARY KEY (conversation, step)
  ) STRICT, WITHOUT ROWID;

  -- Timers that have not come due; then each becomes an item of that kind, whose delivery says says. due_at is service
  -- time. seq: the delivery in whose handling the timer was armed.
  CREATE TABLE timers (
    number TEXT NOT NULL,
    customer TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    says TEXT NOT NULL,
    PRIMARY KEY (number, customer, kind, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX timers_due ON timers (due_at);
`
