import { dataIn } from '../event-stream.ts'

/** Something that happened in the emulator, as its stream tells it. */
export interface Happened {
  readonly kind: string
  readonly [about: string]: unknown
}

/** Reads the emulator's stream until it is disposed of; rejects where there is none. */
export async function listenTo(url: string, hear: (happened: Happened) => void): Promise<Disposable> {
  const over = new AbortController()
  const answer = await fetch(`${url}/_emulator/stream`, { signal: over.signal })
  const read = async () => {
    for await (const data of dataIn(answer)) if (data !== undefined) hear(JSON.parse(data) as Happened)
  }
  // It ends with the emulator, or because it was disposed of.
  void read().catch(() => undefined)
  return { [Symbol.dispose]: () => over.abort() }
}
