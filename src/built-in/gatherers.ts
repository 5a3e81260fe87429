/** The built-in feature that gathers items before they are handled. */
export { gatherer as bursts } from '../features/bursts/store/gatherer.ts'
