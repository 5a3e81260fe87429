/** The parts that tests use: the package brings no types. */
declare module 'bunyan' {
  import type { Log } from '../../src/base/log.ts'

  const bunyan: { createLogger(o: object): Log; stdSerializers: object }
  export default bunyan
}
