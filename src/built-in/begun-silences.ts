/** Begins the silence that a message asks for, in the commit that stores the message as an item. */
export { takeOver as people } from '../features/people/store/hand-over.ts'
