/** node tools/side-by-side.ts COMMAND…: runs commands side by side, one for each core, and prints what those that fail have printed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'

const waiting = process.argv.slice(2)
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (let command = waiting.shift(); command !== undefined; command = waiting.shift()) await run(command)
  }),
)

async function run(command: string): Promise<void> {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code === 0) return
  process.stderr.write(`${command}\n${stdout}${stderr}`)
  process.exitCode = 1
}
