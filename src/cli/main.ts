import { readFileSync } from 'node:fs'
import { exitOnBrokenPipe } from './support/broken-pipe.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

exitOnBrokenPipe()

// The version alone is asked for by scripts, and often: nothing else is loaded for it.
const [asked, ...more] = process.argv.slice(2)
if (more.length === 0 && (asked === '--version' || asked === '-V')) process.stdout.write(`${version}\n`)
else await import('./program.ts').then(({ run }) => run(version))
