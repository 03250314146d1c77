import type { UnseenFiles } from '../../../../worker/contract/files/unseen-files.ts'
import { formatList } from '../../../lib/i18n/format-dates.ts'
import { t } from './texts/en.ts'

/** For example "the 2 images and the PDF". */
export const unseenText = ({ images, documents }: UnseenFiles): string =>
  formatList([
    ...(images > 0 ? [t('unseenImages', { count: images })] : []),
    ...(documents > 0 ? [t('unseenPdfs', { count: documents })] : []),
  ])
