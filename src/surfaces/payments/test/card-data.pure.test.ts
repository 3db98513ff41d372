/** Card numbers are refused wherever they are in a body. Ids whose digits look like one are not. */
import { describe, expect, test } from 'vitest'
import { refuseCardData } from '../intents/card-data.ts'

describe('a body', () => {
  test.each([
    { number: '4242424242424242' },
    { note: 'card 4242 4242 4242 4242, thank you' },
    { note: '4242-4242-4242-4242' },
    { note: 'for 01a21562-4805-7219-80f4-512780242178: 378282246310005' },
    { deep: [{ card: 4_242_424_242_424_242 }] },
    { '4242424242424242': true },
    { note: '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢' },
    { note: '४२४२ ४२४२ ४२४२ ४२४२' },
    { note: '4242\u200B4242\u200B4242\u200B4242' },
    { note: '4\u00AD242\u2060424242424242' },
  ])('with a card number is refused: %j', body => {
    expect(() => refuseCardData(body)).toThrow(
      expect.objectContaining({ code: 'card_data_refused' }),
    )
  })

  test.each([
    '01a21562-4805-7219-80f4-512780242178',
    '01a21562-4900-7f46-bdf3-456501532924',
    '01A21562-49A6-7484-8682-806541977495',
    'https://shop.example/orders/01a21562-4805-7219-80f4-512780242178/done',
  ])('with the id %s is accepted', id => {
    expect(() => refuseCardData({ cart_id: id, return_url: id })).not.toThrow()
  })
})
