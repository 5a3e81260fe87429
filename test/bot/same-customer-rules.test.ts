import { describe, expect, it } from 'vitest'
import { argentina, brazil, mexico, sameCustomerBy } from '../../src/bot/same-customer.ts'

const RULES = { brazil, mexico, argentina }

/** Two spellings of one customer's number, as national numbering plans have them. */
const SAME: readonly (readonly [keyof typeof RULES, string, string])[] = [
  // Brazil: area code, and eight digits of a mobile phone that got a ninth in front.
  ['brazil', '5511987654321', '551187654321'],
  ['brazil', '5511961234567', '551161234567'],
  ['brazil', '5511971234567', '551171234567'],
  ['brazil', '5511999999999', '551199999999'],
  ['brazil', '5521981234567', '552181234567'],
  ['brazil', '5527992345678', '552792345678'],
  ['brazil', '5531987654321', '553187654321'],
  ['brazil', '5541991234567', '554191234567'],
  ['brazil', '5551981112222', '555181112222'],
  ['brazil', '5561996543210', '556196543210'],
  ['brazil', '5571988887777', '557188887777'],
  ['brazil', '5585999990000', '558599990000'],
  ['brazil', '5599981234567', '559981234567'],
  // Mexico: ten digits, before which mobile phones had a 1.
  ['mexico', '5215512345678', '525512345678'],
  ['mexico', '5213312345678', '523312345678'],
  ['mexico', '5218112345678', '528112345678'],
  ['mexico', '5212221234567', '522221234567'],
  ['mexico', '5216641234567', '526641234567'],
  ['mexico', '5219991234567', '529991234567'],
  // Argentina: area code and number have ten digits, before which mobile phones have a 9.
  ['argentina', '5491123456789', '541123456789'],
  ['argentina', '5493514567890', '543514567890'],
  ['argentina', '5492614567890', '542614567890'],
  ['argentina', '5492214567890', '542214567890'],
  ['argentina', '5493414567890', '543414567890'],
  ['argentina', '5492901456789', '542901456789'],
]

/** Numbers that resemble each other, and are two customers. */
const OTHERS: readonly (readonly [keyof typeof RULES, string, string])[] = [
  // Landlines begin with 2 to 5, and never got a ninth digit.
  ['brazil', '5511923456789', '551123456789'],
  ['brazil', '5511934567890', '551134567890'],
  ['brazil', '5511945678901', '551145678901'],
  ['brazil', '5511956789012', '551156789012'],
  // Another digit than the ninth, another place, another area, another length.
  ['brazil', '5511887654321', '551187654321'],
  ['brazil', '5511879654321', '551187654321'],
  ['brazil', '5521987654321', '551187654321'],
  ['brazil', '5511987654322', '551187654321'],
  ['brazil', '55119987654321', '551187654321'],
  ['brazil', '551198765432', '55118765432'],
  ['brazil', '5501987654321', '550187654321'],
  ['brazil', '5510987654321', '551087654321'],
  // Other countries, also those whose digits look alike.
  ['brazil', '1155987654321', '115587654321'],
  ['brazil', '255987654321', '25587654321'],
  ['brazil', '5215512345678', '525512345678'],
  ['brazil', '5491123456789', '541123456789'],
  ['mexico', '5211512345678', '521512345678'],
  ['mexico', '5210512345678', '520512345678'],
  ['mexico', '52155123456789', '5255123456789'],
  ['mexico', '521551234567', '52551234567'],
  ['mexico', '5225512345678', '525512345678'],
  ['mexico', '5511987654321', '551187654321'],
  ['argentina', '5481123456789', '541123456789'],
  ['argentina', '5499123456789', '549123456789'],
  ['argentina', '54911234567890', '5411234567890'],
  ['argentina', '549112345678', '54112345678'],
  ['argentina', '5215512345678', '525512345678'],
]

describe('a rule for the spellings of a number', () => {
  it.each(SAME)('of %s: %s and %s are one customer', (name, one, other) => {
    const { of, formsOf } = sameCustomerBy(RULES[name])
    expect(of(one)).toBe(of(other))
    // Each spelling is found from the other, also if only a hash of one is known.
    expect(formsOf(of(one))).toEqual(expect.arrayContaining([one, other]))
  })

  it.each(OTHERS)('of %s: %s and %s are two customers', (name, one, other) => {
    const { of, formsOf } = sameCustomerBy(RULES[name])
    expect(of(one)).not.toBe(of(other))
    expect(formsOf(of(one))).not.toContain(other)
  })

  it.each(['255712000101', '14155550123', '447911123456', '919876543210', '6281234567890', '551133334444'])(
    'leaves %s unchanged',
    (number) => {
      for (const rule of Object.values(RULES)) expect(rule(number)).toBe(number)
    },
  )
})
