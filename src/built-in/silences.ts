/** The built-in feature that makes a bot silent: which messages ask for that, and which routes run then. */
export { silencing as people } from '../features/people/take-over.ts'
