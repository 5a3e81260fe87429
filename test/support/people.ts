/** The customers of the tests. */
export const ASHA = '255712000101'
export const JUMA = '255712000102'
