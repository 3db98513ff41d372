/** The texts of the payment page, in two languages: of the request, or else of the browser. */
import Negotiator from 'negotiator'

const en = {
  pay: 'Pay',
  pay_with: 'Pay with',
  to: 'to',
  amount_in: 'Amount in',
  email: 'Mail address for the receipt (optional)',
  keep: 'Keep this card for later payments',
  no_script: 'This page needs JavaScript, with which the payment provider reads the card.',
  checking: 'Your payment is being checked. Keep this page open.',
  unconfirmed: 'This payment has not been confirmed yet.',
  go_on: 'Continue with it',
  other: 'Pay in another way',
  paid: 'Paid. Thank you.',
  back: 'Back to the shop',
  to_order: 'See the order',
  sums: { discount: 'Discount', shipping: 'Shipping', tax: 'Tax', total: 'Total' },
  ended: {
    expired: 'This payment request has expired. Ask for a new one.',
    cancelled: 'This payment request was cancelled. Nothing has to be paid.',
    unavailable: 'Nothing can be paid here at the moment.',
  },
  /** What the script says. */
  said: {
    again: 'The payment was not completed. Nothing was taken. You can try again.',
    amount: 'Type an amount, such as 12.50.',
    payment_declined: 'The payment was declined. Nothing was taken. Try another card.',
    payment_method_invalid: 'The card could not be used. Type its data again.',
    pricing_changed:
      'The cart or a price has changed since this page was made. Nothing was taken. Go back to the shop and look at the cart again.',
    insufficient_inventory:
      'Another buyer was faster: not everything is in stock any more. Nothing was taken. Go back to the shop and change the cart.',
    pending_order_limit:
      'Other orders wait for their payment. Nothing was taken. Try again in some minutes.',
    rate_limited: 'Too many payments were declined. Try again in an hour.',
    payment_provider_unavailable:
      'The payment provider cannot be reached now. Try again in a minute.',
    script: 'The form of the payment provider could not be loaded. Reload the page.',
    lost: 'The connection was lost. Reload the page to see whether the payment was made.',
    failed: 'The payment could not be made. Reload the page to see its state.',
  },
}

export type Words = typeof en

const de: Words = {
  pay: 'Bezahlen',
  pay_with: 'Bezahlen mit',
  to: 'an',
  amount_in: 'Betrag in',
  email: 'E-Mail-Adresse für den Beleg (freiwillig)',
  keep: 'Diese Karte für spätere Zahlungen behalten',
  no_script: 'Diese Seite braucht JavaScript, mit dem der Zahlungsanbieter die Karte liest.',
  checking: 'Ihre Zahlung wird geprüft. Lassen Sie diese Seite offen.',
  unconfirmed: 'Diese Zahlung ist noch nicht bestätigt.',
  go_on: 'Damit fortfahren',
  other: 'Anders bezahlen',
  paid: 'Bezahlt. Vielen Dank.',
  back: 'Zurück zum Shop',
  to_order: 'Zur Bestellung',
  sums: { discount: 'Rabatt', shipping: 'Versand', tax: 'Steuer', total: 'Summe' },
  ended: {
    expired: 'Diese Zahlungsaufforderung ist abgelaufen. Bitten Sie um eine neue.',
    cancelled: 'Diese Zahlungsaufforderung wurde zurückgezogen. Es ist nichts zu bezahlen.',
    unavailable: 'Hier kann im Moment nichts bezahlt werden.',
  },
  said: {
    again:
      'Die Zahlung wurde nicht abgeschlossen. Es wurde nichts abgebucht. Sie können es noch einmal versuchen.',
    amount: 'Geben Sie einen Betrag ein, zum Beispiel 12,50.',
    payment_declined:
      'Die Zahlung wurde abgelehnt. Es wurde nichts abgebucht. Versuchen Sie eine andere Karte.',
    payment_method_invalid:
      'Die Karte konnte nicht verwendet werden. Geben Sie ihre Daten noch einmal ein.',
    pricing_changed:
      'Der Warenkorb oder ein Preis hat sich geändert. Es wurde nichts abgebucht. Gehen Sie zurück zum Shop und prüfen Sie den Warenkorb.',
    insufficient_inventory:
      'Jemand war schneller: Es ist nicht mehr alles vorrätig. Es wurde nichts abgebucht. Gehen Sie zurück zum Shop und ändern Sie den Warenkorb.',
    pending_order_limit:
      'Andere Bestellungen warten noch auf ihre Zahlung. Es wurde nichts abgebucht. Versuchen Sie es in einigen Minuten noch einmal.',
    rate_limited: 'Zu viele Zahlungen wurden abgelehnt. Versuchen Sie es in einer Stunde wieder.',
    payment_provider_unavailable:
      'Der Zahlungsanbieter ist gerade nicht erreichbar. Versuchen Sie es in einer Minute wieder.',
    script:
      'Das Formular des Zahlungsanbieters konnte nicht geladen werden. Laden Sie die Seite neu.',
    lost: 'Die Verbindung ging verloren. Laden Sie die Seite neu, um zu sehen, ob bezahlt wurde.',
    failed: 'Die Zahlung hat nicht geklappt. Laden Sie die Seite neu, um ihren Stand zu sehen.',
  },
}

const languages = { en, de }

export type Language = { readonly language: keyof typeof languages; readonly words: Words }

export function languageOf(
  locale: string | null,
  accepts: string | string[] | undefined,
): Language {
  const accept = locale ?? String(accepts ?? '')
  const wanted = new Negotiator({ headers: { 'accept-language': accept || '*' } })
  const language = wanted.language(['en', 'de']) === 'de' ? 'de' : 'en'
  return { language, words: languages[language] }
}
