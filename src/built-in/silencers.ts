/** The built-in feature that stores silences. */
export { silencer as people } from '../features/people/store/taken-over.ts'
