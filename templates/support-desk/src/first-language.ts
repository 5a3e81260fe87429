/** The language in which the desk greets; a customer changes it by a tap. */
export const FIRST_LANGUAGE: 'en' | 'sw' = 'en'
