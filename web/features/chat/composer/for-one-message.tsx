/** In the picker: the model was chosen for this message only, and can be removed. */
import { X } from 'lucide-react'
import { IconButton } from '../../../ui/icon-button.tsx'
import { t } from './texts/en.ts'

export const ForOneMessage = ({ name, onRemove }: { readonly name: string; readonly onRemove: () => void }) => (
  <fieldset aria-label={t('onlyThisMessage')} className="flex shrink-0 items-center gap-0.5 text-xs">
    <span aria-hidden="true" className="before:content-['·_']">
      {t('thisMessage')}
    </span>
    <IconButton size="sm" label={t('removeModel', { model: name })} className="relative z-1" onClick={onRemove}>
      <X />
    </IconButton>
  </fieldset>
)
