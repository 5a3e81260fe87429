/** Options of a route, by name. If a route has one with the value exported here, its messages join no bundle. */
export { handledAlone as burst } from '../features/bursts/burst-options.ts'
