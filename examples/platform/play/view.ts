/** One look at a platform while it plays: its processes, its phones, and the latest happenings. */
import { type Watched, watch } from './gauges.ts'
import type { Platform } from './platform.ts'
import type { Tally } from './phones.ts'
import { openScreen } from './screen.ts'

export interface View {
  /** Looks at everything and shows it. */
  paint(): Promise<Tally>
  tell(news: string): void
  [Symbol.dispose](): void
}

export function openView(
  processes: readonly Watched[],
  { service, load }: Platform,
  o: { readonly keys: readonly string[]; readonly pressed: (key: string) => void },
): View {
  const screen = openScreen(o.pressed)
  const look = watch(processes)
  const began = performance.now()
  const news: string[] = []
  return {
    async paint() {
      const tally = await load.tally()
      screen.show({
        seconds: Math.floor((performance.now() - began) / 1_000),
        look: await look(),
        tally,
        tenants: service.workspaces().length,
        news,
        keys: o.keys,
      })
      return tally
    },
    tell(what) {
      news.push(what)
      screen.tell(what)
    },
    [Symbol.dispose]: () => screen.close(),
  }
}
