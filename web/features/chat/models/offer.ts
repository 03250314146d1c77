/** The reason that the plan dialog explains for a locked model. Null for another refusal, and where nothing can be paid. */
import type { Refusal } from '../../../../worker/contract/errors.ts'
import type { UpsellReason } from '../../../lib/overlays.ts'
import { pageSettings } from '../../../lib/page-settings.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { isLocked } from './catalogue.ts'

export const offerFor = (model: ModelRow, refusal: Refusal | null): UpsellReason | null =>
  isLocked(refusal) && pageSettings.billing ? { model, needs: refusal.code === 'account_required' ? 'account' : 'pro' } : null
