/** The names of the acts that are recorded when a person uses the page of a built-in feature. */
export { DESK_ACTS as people } from '../features/people/desk/desk-api.ts'
