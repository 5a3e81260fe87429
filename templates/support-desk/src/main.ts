/** `npm start`: for the service itself. `npm run dev` starts dev/start.ts. */
import { start } from './start.ts'

await start(process.env)
