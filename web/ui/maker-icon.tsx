/** Marks of the makers of models, in the text colour. */
import { cx } from '../lib/cx.ts'
import { knownMakerName, makerIdOf, makerNames } from '../lib/models.ts'
import symbols from './maker-icons.svg?no-inline'
import { t } from './texts/en.ts'

export const makerName = (maker: string): string => (maker === 'compatible' ? t('ownServer') : knownMakerName(maker))

type MakerIconProps = { readonly maker: string; readonly className?: string }

/** Decorative. An unknown maker gets its initial. */
export function MakerIcon({ maker, className }: MakerIconProps) {
  return (
    <svg viewBox="0 0 24 24" fill="currentColor" className={cx('size-4 shrink-0', className)} aria-hidden="true">
      {maker === 'compatible' || makerIdOf(maker) in makerNames ? (
        <use href={`${symbols}#${makerIdOf(maker)}`} />
      ) : (
        <text x="12" y="17" textAnchor="middle" fontSize="14" fontWeight="600">
          {maker.slice(0, 1).toUpperCase()}
        </text>
      )}
    </svg>
  )
}
