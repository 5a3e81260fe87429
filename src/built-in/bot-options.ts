/** The options that built-in features give bots, by their names. */
export { burst } from '../features/bursts/burst.ts'
export { takenOver } from '../features/people/while-taken-over.ts'
