/** The place of payments: payments, the ledger, disputes and reconciliation. */
import { PaymentTimeline } from '../panels/payment-timeline.tsx'
import { resource, type Place } from '../resource.ts'
import type { Row } from '../operation.ts'
import { decimalOf } from '../money.ts'

/** What can still be refunded, to be seen and changed before it is sent. */
function restOf(row: Row): Row {
  return { intent_id: row['id'], amount: decimalOf(minorOf(row), String(row['currency'])) }
}

/** Without what is refunded, and what refunds hold that are not decided yet. */
function minorOf(row: Row): number {
  const taken = Number(row['amount_refunded_minor']) + Number(row['amount_refund_pending_minor'])
  return Number(row['amount_captured_minor']) - taken
}

export const payments: Place = {
  name: 'payments',
  title: { en: 'Payments', de: 'Zahlungen' },
  resources: [
    resource({
      name: 'intents',
      title: { en: 'Payments', de: 'Zahlungen' },
      list: 'listPaymentIntents',
      read: 'getPaymentIntent',
      create: 'createPaymentIntent',
      columns: [
        'order_ref',
        'state',
        'amount_minor',
        'amount_refunded_minor',
        'provider',
        'disputed',
        'created_at',
        'id',
      ],
      events: ['payment.', 'refund.', 'dispute.'],
      panel: PaymentTimeline,
      actions: [
        { by: 'authorizePaymentIntent', in: ['requires_authorization'] },
        { by: 'capturePaymentIntent', in: ['authorized'] },
        {
          by: 'createRefund',
          hurts: true,
          in: ['captured'],
          when: row => minorOf(row) > 0,
          from: restOf,
        },
        { by: 'cancelPaymentIntent', hurts: true, in: ['requires_authorization', 'authorized'] },
      ],
      related: [
        {
          title: { en: 'Refunds', de: 'Erstattungen' },
          list: 'listRefunds',
          filter: 'intent_id',
          columns: ['state', 'amount_minor', 'reason', 'created_at'],
          opens: 'payments/refunds',
        },
        {
          title: { en: 'Ledger', de: 'Buchungen' },
          list: 'listLedgerTransactions',
          filter: 'intent_id',
          columns: ['purpose', 'description', 'effective_at'],
          opens: 'payments/ledger',
        },
        {
          title: { en: 'Disputes', de: 'Streitfälle' },
          list: 'listDisputes',
          filter: 'intent_id',
          columns: ['reason', 'state', 'amount_minor', 'respond_by'],
          opens: 'payments/disputes',
        },
        {
          title: { en: 'Settlements', de: 'Abrechnungen' },
          list: 'listSettlements',
          filter: 'intent_id',
          columns: ['kind', 'amount_minor', 'fee_minor', 'available_on'],
        },
      ],
    }),
    resource({
      name: 'customers',
      title: { en: 'Customers', de: 'Kunden' },
      list: 'listCustomers',
      read: 'getCustomer',
      create: 'createCustomer',
      columns: ['name', 'email', 'locale', 'account_id', 'created_at', 'id'],
      events: ['customer.'],
      actions: ['changeCustomer', { by: 'deleteCustomer', hurts: true }],
      related: [
        {
          title: { en: 'Payment methods', de: 'Gemerkte Zahlungsarten' },
          list: 'listPaymentMethods',
          filter: 'customer_id',
          columns: ['method', 'brand', 'last4', 'exp', 'state', 'created_at'],
          opens: 'payments/methods',
        },
      ],
    }),
    resource({
      name: 'methods',
      title: { en: 'Payment methods', de: 'Gemerkte Zahlungsarten' },
      list: 'listPaymentMethods',
      read: 'getPaymentMethod',
      columns: ['method', 'brand', 'last4', 'exp', 'state', 'customer_id', 'created_at', 'id'],
      events: ['payment_method.'],
      actions: [{ by: 'deletePaymentMethod', hurts: true, in: ['active'] }],
    }),
    resource({
      name: 'refunds',
      title: { en: 'Refunds', de: 'Erstattungen' },
      list: 'listRefunds',
      read: 'getRefund',
      columns: ['state', 'amount_minor', 'reason', 'intent_id', 'created_at', 'id'],
      events: ['refund.'],
    }),
    resource({
      name: 'disputes',
      title: { en: 'Disputes', de: 'Streitfälle' },
      list: 'listDisputes',
      read: 'getDispute',
      columns: ['reason', 'state', 'amount_minor', 'respond_by', 'created_at', 'id'],
      events: ['dispute.'],
    }),
    resource({
      name: 'accounts',
      title: { en: 'Ledger accounts', de: 'Konten der Bücher' },
      list: 'listLedgerAccounts',
      read: 'getLedgerAccount',
      columns: ['type', 'owner_type', 'balance_minor', 'debits_minor', 'credits_minor', 'currency'],
      events: ['payment.', 'refund.', 'payout.'],
    }),
    resource({
      name: 'ledger',
      title: { en: 'Ledger', de: 'Buchungen' },
      list: 'listLedgerTransactions',
      read: 'getLedgerTransaction',
      columns: ['purpose', 'description', 'effective_at', 'intent_id', 'id'],
      events: ['payment.', 'refund.', 'payout.', 'settlement.'],
      actions: [{ by: 'reverseLedgerTransaction', hurts: true }],
    }),
    resource({
      name: 'settlements',
      title: { en: 'Settlements', de: 'Abrechnungen' },
      list: 'listSettlements',
      columns: ['kind', 'amount_minor', 'fee_minor', 'net_minor', 'available_on', 'payout_id'],
      events: ['settlement.', 'payout.'],
    }),
    resource({
      name: 'reconciliation',
      title: { en: 'Reconciliation', de: 'Abgleich' },
      list: 'listReconciliationItems',
      create: 'createReconciliationRun',
      columns: ['discrepancy', 'state', 'provider', 'external_ref', 'created_at', 'id'],
      events: ['reconciliation_item.'],
      actions: [{ by: 'resolveReconciliationItem', in: ['open'] }],
    }),
    resource({
      name: 'reconciliation-runs',
      title: { en: 'Reconciliation runs', de: 'Abgleichsläufe' },
      list: 'listReconciliationRuns',
      read: 'getReconciliationRun',
      columns: ['status', 'from', 'to', 'compared', 'opened', 'fixed', 'finished_at', 'id'],
      actions: [],
    }),
  ],
}
