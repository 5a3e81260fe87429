/** The built-in feature that decides which messages begin a silence, and which routes run during one. */
export { silencing as people } from '../features/people/take-over.ts'
