import { randomFillSync } from 'node:crypto'
import { ulid } from 'ulid'

const DRAWN_AT_ONCE = 1_024

/** Makes the ids of sends. A draw of chance for each letter of an id would cost more than the rest of a send's row. */
export function createSendIds(wall: () => number): () => string {
  const drawn = new Uint8Array(DRAWN_AT_ONCE)
  let used = DRAWN_AT_ONCE
  const chance = () => {
    if (used === DRAWN_AT_ONCE) {
      randomFillSync(drawn)
      used = 0
    }
    return (drawn[used++] ?? 0) / 256
  }
  return () => ulid(wall(), chance)
}
