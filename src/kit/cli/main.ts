import { readFileSync } from 'node:fs'
import { exitOnBrokenPipe } from './support/io.ts'

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

exitOnBrokenPipe(process)

// Scripts often ask for the version. Load nothing else for it.
const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) process.stdout.write(`${version}\n`)
else process.exitCode = await import('./program.ts').then(({ run }) => run(version, args, process))
