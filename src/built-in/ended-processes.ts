/** Each function ends what a dead process had only in memory, in the commit that declares the process dead. */
export { loseCodes as codes } from '../features/codes/store/lost-codes.ts'
