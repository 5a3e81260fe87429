/** The acts of built-in features on their own pages, which the record of acts names. */
export { DESK_ACTS as people } from '../features/people/desk/desk-api.ts'
