import { onTestFinished } from 'vitest'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { type ManualTime, manualTime } from '../../emulator/support/time.ts'
import { type PlaceOnDisk, placeOnDisk } from '../sqlite-backend.ts'
import { type Connections, countedConnections } from './connections.ts'

/** A new folder with one file, until the running test ends; `beforeEach` may make it. */
export function ownPlace(connect?: Parameters<typeof placeOnDisk>[0]): PlaceOnDisk {
  const place = placeOnDisk(connect)
  onTestFinished(() => place.remove())
  return place
}

export interface Watched {
  readonly place: PlaceOnDisk
  readonly connections: Connections
  readonly time: ManualTime
  readonly store: Store
  /** Another store over this file, or over the same one. */
  open(file?: string): Store
}

/** A store over a new file until the running test ends. A test counts its connections, and moves its time. */
export function openWatched(onFailure: (line: string, alarm: string) => void = () => {}): Watched {
  const [place, connections, time] = [placeOnDisk(), countedConnections(), manualTime()]
  const stores: Store[] = []
  const open = (file = place.file) => {
    const { timers, monotonic } = time
    const store = openSqlite(file, { connect: connections.connect, timers, monotonic, onFailure })
    stores.push(store)
    return store
  }
  onTestFinished(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await place.remove()
  })
  return { place, connections, time, store: open(), open }
}
