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
    ...['\uFE0F', '\u034F', '\u3164', '\u115F', '\u180B', '\u{E0100}', '\u20E3', '\u0301'].flatMap(
      unseen => [
        { note: '4242424242424242'.split('').join(unseen) },
        { note: `4242${unseen} 4242${unseen}${unseen}${unseen}${unseen}4242-${unseen}4242` },
      ],
    ),
    ...[',', '+', ':', '~', '/', ', ', '\u2028', '\u3000'].map(separator => ({
      note: Array(4).fill('4242').join(separator),
    })),
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
    '550e8400-e29b-41d4-a716-446655440000',
  ])('with the id %s is accepted', id => {
    expect(() => refuseCardData({ cart_id: id, return_url: id })).not.toThrow()
  })

  test.each([
    '2026-11-26T12:30:00.123456+01:00',
    '2026-11-26T12:30:00.123Z/2026-11-27T12:30:00.123Z',
    '26/11/2026, 12:30:59',
    '4,242,424,242.42',
    '12,50 + 7,99 + 4,99 = 25,48',
    '+49 (0) 4242 / 4242-42',
    '192.168.0.1:8080, 10.0.0.1:443',
    'https://shop.example:8443/orders/2026/11/4242',
  ])('with %s is accepted', text => {
    expect(() => refuseCardData({ note: text })).not.toThrow()
  })

  test('with any of many times, prices and coordinates is accepted', () => {
    const texts = Array.from({ length: 2400 }, (_, at) => {
      const two = (most: number) => String(at % most).padStart(2, '0')
      const time = `${two(24)}:${two(60)}:${two(59)}`
      return [
        `2026-11-${two(28)}T${time}.${123_456 + at}+0${at % 10}:00`,
        `2026-11-${two(28)} ${time}.${123_456 + at}+0${at % 10}:00`,
        `${time}.${123_456 + at}+0${at % 10}:00`,
        `${two(31)}/11/2026, ${time}`,
        `${40 + (at % 20)}.${137_154 + at},11.${576_124 + at}`,
        `4,${two(99)}, 5,${two(98)}, 12,${two(97)}, 199,${two(96)}, 49,${two(95)}`,
        `4,${242_000 + at},424.${two(99)}`,
      ]
    }).flat()
    expect(() => refuseCardData({ texts })).not.toThrow()
  })
})
