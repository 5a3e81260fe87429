/** The built-in feature that gathers several messages into one bundle. */
export { gatherer as bursts } from '../features/bursts/store/gatherer.ts'
