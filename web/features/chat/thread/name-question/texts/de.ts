import type { Translation } from '../../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = { question: 'Wie dürfen wir dich nennen?', save: 'Speichern', dismiss: 'Nicht mehr fragen' }
