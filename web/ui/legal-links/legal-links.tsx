/** Links to the operator's legal pages, and optionally to the licences of the packages in the page. */
import { cx } from '../../lib/cx.ts'
import { t } from './texts/en.ts'

type LegalLink = { readonly name: 'terms' | 'privacy' | 'imprint'; readonly url: string }
type LegalLinksProps = { readonly links: readonly LegalLink[]; readonly hasLicenses?: boolean; readonly className?: string }

export function LegalLinks({ links, hasLicenses = false, className }: LegalLinksProps) {
  const shown = [
    ...links.map(({ name, url }) => ({ name: t(name), url })),
    ...(hasLicenses ? [{ name: t('licenses'), url: '/third-party-notices.txt' }] : []),
  ]
  return (
    <p className={cx('flex flex-wrap gap-x-4 text-xs text-muted-foreground', className)}>
      {shown.map(({ name, url }) => (
        <a key={url} href={url} target="_blank" rel="noreferrer" className="py-1 underline-offset-4 hover:underline touch:py-3">
          {name}
        </a>
      ))}
    </p>
  )
}
