/** What built-in features lose with a process: each is called in the commit that declares it dead. */
export { loseCodes as codes } from '../features/codes/store/lost-codes.ts'
