/** Said to people where the clock was moved, and no delivery is there that could come once more to tell the app. */
export const UNTOLD =
  'The app has had no delivery yet, so it hears of this with its first one, or with the answer to its next send.'
