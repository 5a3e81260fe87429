/** `npm run dev`: the bot beside the emulator, with people whose passwords are known, and phone and desk on one page. */
import { start } from '../src/start.ts'
import { EXAMPLES } from './examples.ts'
import { HINT, sideBySide } from './side-by-side.ts'

const { SWITCHHOOK_EMULATOR: emulator, SWITCHHOOK_CONTROL_TOKEN: token } = process.env
const url = await start({ ...EXAMPLES, ...process.env }, sideBySide(`${emulator}/#token=${token}`))
console.error(`Phone and desk, side by side: ${url}/`)
console.error(HINT)
