/** The texts of the page of an order, in two languages. */
import type { Order } from '../orders/order-view.ts'

type Each<K extends string> = Readonly<Record<K, string>>

export type Words = {
  readonly title: string
  readonly placed: string
  readonly states: Each<Order['state']>
  readonly sums: Each<'subtotal' | 'discount' | 'shipping' | 'tax' | 'total'>
  readonly parcels: string
  readonly shipment_states: Readonly<Record<string, string>>
  readonly returns: string
  readonly return_states: Readonly<Record<string, string>>
  readonly ask_return: string
  readonly reason: string
  readonly reasons: Each<'changed_mind' | 'broken' | 'wrong_item' | 'other'>
  readonly note: string
  readonly send: string
  readonly address: string
  readonly address_says: string
  readonly ask_code: string
  readonly code_sent: string
  readonly code: string
  readonly show: string
  readonly mails_to: string
  readonly ships_to: string
  readonly bills_to: string
  readonly erase: string
  readonly erase_says: string
  readonly erased: string
  readonly faults: Readonly<Record<string, string>>
}

const en: Words = {
  title: 'Order',
  placed: 'Placed on',
  states: {
    pending: 'Waits for its payment',
    confirmed: 'Confirmed',
    fulfilled: 'Shipped',
    payment_failed: 'Not paid',
    expired: 'Ended without payment',
    cancelled: 'Cancelled',
  },
  sums: {
    subtotal: 'Goods',
    discount: 'Discount',
    shipping: 'Shipping',
    tax: 'Tax',
    total: 'Total',
  },
  parcels: 'Parcels',
  shipment_states: {
    preparing: 'being prepared',
    awaiting_capture: 'being prepared',
    shipped: 'on its way',
    delivered: 'delivered',
    lost: 'lost',
    cancelled: 'cancelled',
  },
  returns: 'Returns',
  return_states: {
    requested: 'requested',
    approved: 'approved: send the goods back',
    rejected: 'rejected',
    cancelled: 'cancelled',
    received: 'received',
    refund_pending: 'the refund is on its way',
    refunded: 'refunded',
    refund_failed: 'the refund has failed; the shop tries again',
  },
  ask_return: 'Ask for a return',
  reason: 'Reason',
  reasons: {
    changed_mind: 'I changed my mind',
    broken: 'It is broken',
    wrong_item: 'It is not what I ordered',
    other: 'Another reason',
  },
  note: 'A note for the shop',
  send: 'Send',
  address: 'Address',
  address_says:
    'This link may have been forwarded, so the address is shown only with a code, which is mailed to the address of the order.',
  ask_code: 'Mail me a code',
  code_sent: 'A mail with a code is on its way.',
  code: 'Code',
  show: 'Show the address',
  mails_to: 'Mails go to',
  ships_to: 'The goods go to',
  bills_to: 'The invoice is for',
  erase: 'Erase my data',
  erase_says:
    'This removes the mail address, the addresses and your notes from the order. The law requires the shop to keep its number, goods, sums, taxes and payment.',
  erased: 'The order has no address any more.',
  faults: {
    order_code_wrong: 'The code is wrong or too old. Ask for another one.',
    order_in_progress: 'The order has not ended yet, so its address is needed.',
    order_not_returnable: 'The order cannot be returned any more.',
    return_quantity_exceeded: 'That is more than can be returned.',
    rate_limited: 'That was too often. Try again later.',
    other: 'That did not work. Check what you entered.',
  },
}

const de: Words = {
  title: 'Bestellung',
  placed: 'Bestellt am',
  states: {
    pending: 'Wartet auf die Zahlung',
    confirmed: 'Bestätigt',
    fulfilled: 'Versandt',
    payment_failed: 'Nicht bezahlt',
    expired: 'Ohne Zahlung beendet',
    cancelled: 'Storniert',
  },
  sums: {
    subtotal: 'Waren',
    discount: 'Rabatt',
    shipping: 'Versand',
    tax: 'Steuer',
    total: 'Summe',
  },
  parcels: 'Pakete',
  shipment_states: {
    preparing: 'wird vorbereitet',
    awaiting_capture: 'wird vorbereitet',
    shipped: 'unterwegs',
    delivered: 'zugestellt',
    lost: 'verloren',
    cancelled: 'storniert',
  },
  returns: 'Rückgaben',
  return_states: {
    requested: 'angemeldet',
    approved: 'angenommen: schicken Sie die Ware zurück',
    rejected: 'abgelehnt',
    cancelled: 'zurückgezogen',
    received: 'eingetroffen',
    refund_pending: 'die Erstattung ist unterwegs',
    refunded: 'erstattet',
    refund_failed: 'die Erstattung ist fehlgeschlagen; der Shop versucht es erneut',
  },
  ask_return: 'Rückgabe anmelden',
  reason: 'Grund',
  reasons: {
    changed_mind: 'Ich habe es mir anders überlegt',
    broken: 'Es ist beschädigt',
    wrong_item: 'Es ist nicht, was ich bestellt habe',
    other: 'Ein anderer Grund',
  },
  note: 'Nachricht an den Shop',
  send: 'Absenden',
  address: 'Adresse',
  address_says:
    'Dieser Link kann weitergeleitet worden sein. Deshalb zeigt die Seite die Adresse nur mit einem Code, der an die Adresse der Bestellung geht.',
  ask_code: 'Code per E-Mail anfordern',
  code_sent: 'Eine E-Mail mit einem Code ist unterwegs.',
  code: 'Code',
  show: 'Adresse zeigen',
  mails_to: 'E-Mails gehen an',
  ships_to: 'Die Ware geht an',
  bills_to: 'Die Rechnung ist für',
  erase: 'Meine Daten löschen',
  erase_says:
    'Damit verschwinden E-Mail-Adresse, Anschriften und Ihre Nachrichten aus der Bestellung. Nummer, Waren, Beträge, Steuern und Zahlung muss der Shop nach dem Gesetz behalten.',
  erased: 'Die Bestellung hat keine Adresse mehr.',
  faults: {
    order_code_wrong: 'Der Code ist falsch oder zu alt. Fordern Sie einen neuen an.',
    order_in_progress: 'Die Bestellung ist noch nicht abgeschlossen und braucht ihre Adresse.',
    order_not_returnable: 'Die Bestellung kann nicht mehr zurückgegeben werden.',
    return_quantity_exceeded: 'Das ist mehr, als zurückgegeben werden kann.',
    rate_limited: 'Das war zu oft. Versuchen Sie es später noch einmal.',
    other: 'Das hat nicht geklappt. Prüfen Sie Ihre Eingaben.',
  },
}

/** The language of the order, or of the browser for an order without one. */
export function languageOf(locale: string | null, accepts: string | string[] | undefined) {
  const wanted = locale ?? String(accepts ?? '')
  return /^de\b/i.test(wanted) ? ({ language: 'de', words: de } as const) : english
}

const english = { language: 'en', words: en } as const
