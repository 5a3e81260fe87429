/**
 * Brazil's ninth digit: `55 11 9 8765-4321` and `55 11 8765-4321` are one customer. Landlines, whose numbers begin with 2 to
 * 5, have no ninth digit.
 *
 *     const bot = createBot({ sameCustomer: brazil })
 */
export const brazil = (digits: string): string => digits.replace(/^(55[1-9][1-9])([6-9]\d{7})$/, '$19$2')

/**
 * Mexico's 1 of mobile phones: `52 1 55 1234 5678` and `52 55 1234 5678` are one customer.
 *
 *     const bot = createBot({ sameCustomer: mexico })
 */
export const mexico = (digits: string): string => digits.replace(/^521([2-9]\d{9})$/, '52$1')

/**
 * Argentina's 9 of mobile phones: `54 9 11 2345-6789` and `54 11 2345-6789` are one customer.
 *
 *     const bot = createBot({ sameCustomer: argentina })
 */
export const argentina = (digits: string): string => digits.replace(/^549([1-3]\d{9})$/, '54$1')
