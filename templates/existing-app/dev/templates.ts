/** The templates as the service's dashboard has them, for `npm run dev` and the tests. */
import { LANGUAGE, TEMPLATES } from '../src/words.ts'

export const templates = Object.entries(TEMPLATES).map(([name, body]) => ({ name, language: LANGUAGE, body }))
