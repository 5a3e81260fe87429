import { join } from 'node:path'
import { root, succeeds } from './packed.ts'

/** Those beside the repository's own, which runs all. */
const OTHERS = ['22.14.0', '26.10.0']
const PARTS = ['units', 'journeys']

/** Before 22.18 Node strips types only if it is asked to, and warns. */
const STRIP_TYPES = '--experimental-strip-types --disable-warning=ExperimentalWarning'

/** Runs units and journeys on the oldest and on the newest Node, or a shard of their files such as `3/10`. */
export async function runSuite(
  environmentOf: (version: string) => Promise<Record<string, string>>,
  shard: string,
): Promise<void> {
  for (const version of OTHERS) {
    const began = performance.now()
    const environment = {
      ...(await environmentOf(version)),
      NODE_OPTIONS: version.startsWith('22.') ? STRIP_TYPES : '',
    }
    const parts = PARTS.flatMap((part) => ['--project', part])
    const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...parts, '--shard', shard, '--retry=1']
    await succeeds('node', vitest, root, environment)
    console.error(
      `Node ${version}: ${PARTS.join(', ')}, ${shard} (${Math.round((performance.now() - began) / 1_000)} s)`,
    )
  }
}
