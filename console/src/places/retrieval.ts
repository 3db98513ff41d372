/** The place of retrieval: collections, documents and questions. */
import { StoredAnswer } from '../panels/answer-text.tsx'
import { Ask } from '../panels/ask.tsx'
import { DocumentText } from '../panels/document-text.tsx'
import { resource, type Place } from '../resource.ts'

export const retrieval: Place = {
  name: 'retrieval',
  title: { en: 'Retrieval', de: 'Wissen' },
  resources: [
    resource({
      name: 'collections',
      title: { en: 'Collections', de: 'Sammlungen' },
      list: 'listCollections',
      read: 'getCollection',
      create: 'createCollection',
      columns: [
        'name',
        'state',
        'document_count',
        'language',
        'embedding_profile',
        'created_at',
        'id',
      ],
      events: ['document.', 'index.', 'connector.'],
      actions: [
        'addDocument',
        'addConnector',
        'evaluateCollection',
        'putCollectionAcl',
        'reindexCollection',
        'activateIndexVersion',
        { by: 'deleteCollection', hurts: true },
      ],
      related: [
        {
          title: { en: 'Documents', de: 'Dokumente' },
          list: 'listDocuments',
          columns: ['title', 'state', 'chunk_count', 'source_kind', 'error_code', 'created_at'],
          opens: 'retrieval/documents',
        },
        {
          title: { en: 'Connectors', de: 'Quellen' },
          list: 'listConnectors',
          columns: ['kind', 'state', 'next_sync_at', 'error_code'],
          opens: 'retrieval/connectors',
        },
        {
          title: { en: 'Index versions', de: 'Fassungen des Index' },
          list: 'listIndexVersions',
          columns: ['version', 'state', 'embedding_profile', 'activated_at'],
        },
        {
          title: { en: 'Evaluations', de: 'Auswertungen' },
          list: 'listEvaluations',
          columns: ['id', 'index_version', 'metrics', 'stored', 'created_at'],
          opens: 'retrieval/ingestion',
        },
      ],
    }),
    resource({
      name: 'answers',
      title: { en: 'Ask', de: 'Fragen' },
      read: 'getAnswer',
      top: Ask,
      panel: StoredAnswer,
      columns: [],
      events: ['answer.'],
    }),
    resource({
      name: 'search',
      title: { en: 'Search', de: 'Suchen' },
      create: 'searchCollections',
      columns: [],
    }),
    resource({
      name: 'documents',
      title: { en: 'Documents', de: 'Dokumente' },
      read: 'getDocument',
      columns: [],
      panel: DocumentText,
      events: ['document.'],
      actions: ['putDocumentAcl', { by: 'deleteDocument', hurts: true }],
    }),
    resource({
      name: 'connectors',
      title: { en: 'Connectors', de: 'Quellen' },
      read: 'getConnector',
      columns: [],
      events: ['connector.'],
      actions: ['syncConnector', 'changeConnector', { by: 'deleteConnector', hurts: true }],
    }),
    resource({
      name: 'ingestion',
      title: { en: 'Ingestion jobs', de: 'Aufnahmen' },
      read: 'getIngestionJob',
      columns: [],
      events: ['job.', 'document.'],
      actions: [
        { by: 'retryIngestionJob', in: ['failed', 'cancelled', 'expired'] },
        { by: 'cancelIngestionJob', hurts: true, in: ['pending', 'retryable', 'running'] },
      ],
    }),
    resource({
      name: 'profiles',
      title: { en: 'Embedding profiles', de: 'Einbettungen' },
      list: 'listEmbeddingProfiles',
      columns: ['id', 'dimensions', 'semantic', 'languages'],
    }),
  ],
}
