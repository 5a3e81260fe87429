/** Templates of every kind, with the types that `switchhook templates pull` writes of them. */
import { createBot, oneTimeCode, template, text } from 'switchhook'

declare const lang: 'sw' | 'en'
declare const id: string
const image = 'https://shop.example/1.png'

template('order_ready', lang, { body: [id] })
template('thanks', 'sw')
template('thanks', 'sw', {})
template('titled', 'sw', { header: id })
template('titled', 'sw', { header: [id] })
template('invoice', 'sw', { header: { document: 'https://shop.example/1.pdf' } })
template('invoice', 'sw', { header: { document: 'https://shop.example/1.pdf', filename: '1.pdf' } })
template('promo', 'en_US', { header: { image }, body: [id, id], buttons: [null, null, 'orders/1'] })
template('promo', 'en_US', { header: { image }, body: [id, id], buttons: [{ payload: 's' }, null, { url: 'x' }, { payload: 'm' }] })
template('fresh', 'sw')
template('fresh', 'sw', { header: 'x', body: [id], buttons: [null, 'x', { payload: 'y' }] })
oneTimeCode('login_code', 'sw', id)
void createBot().to(id).send(text('x'), { key: 'k', outsideWindow: template('order_ready', lang, { body: [id] }) })

// @ts-expect-error Expected 3 arguments, but got 2.
template('order_ready', 'sw')
// @ts-expect-error is not assignable to parameter of type '{ body?: []; }'
template('thanks', 'sw', { body: [id] })
// @ts-expect-error 'video' does not exist in type '{ image: string; }'
template('promo', 'en_US', { header: { video: id }, body: [id, id], buttons: [null, null, id] })
// @ts-expect-error Source has 2 element(s) but target requires 3.
template('promo', 'en_US', { header: { image }, body: [id, id], buttons: [null, null] })
// @ts-expect-error '"login_code"' is not assignable to '"appointment" | "fresh" | "invoice" | …'
template('login_code', 'sw', { body: [id] })
// @ts-expect-error '"en"' is not assignable to '"sw"'
oneTimeCode('login_code', 'en', id)
