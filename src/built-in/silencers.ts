/** The built-in feature that makes the bot silent to customers. */
export { silencer as people } from '../features/people/store/taken-over.ts'
