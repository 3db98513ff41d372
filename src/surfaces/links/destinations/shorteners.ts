/**
 * Other public shorteners. A link to another shortener hides its destination from every rule here.
 * So the link is suspicious until a moderator has checked it.
 */
const hosts = `adf.ly adfoc.us amzn.to bc.vc bit.do bit.ly bitly.com bl.ink buff.ly chilp.it
  clck.ru cli.gs cutt.ly cutt.us db.tt dlvr.it dub.co dub.sh fb.me ff.im fur.ly gg.gg go2l.ink
  goo.gl goo-gl.me han.gl hoy.is hyperurl.co ift.tt is.gd j.mp kutt.it l.ead.me linkd.in linktr.ee
  lnk.to lnkd.in lnnkin.com loom.ly merky.de migre.me moourl.com mz.cm n9.cl ow.ly ouo.io past.is
  po.st polr.me post.ly ptix.co q.gs qr.ae qr.net rb.gy rebrand.ly rebrandly.com reurl.cc rotf.lol
  s.id s2r.co shlink.io short.gy short.io shorte.st shorturl.asia shorturl.at shrtco.de smarturl.it
  snip.ly snipurl.com soo.gd su.pr surl.li t.co t.ly t2m.io tiny.cc tiny.one tinyurl.com tr.im tr.ee
  trib.al u.to urlz.fr v.gd v.ht vk.cc x.co xurl.es y2u.be yourls.org yourwish.es zi.ma zpr.io`

const known = new Set(hosts.split(/\s+/))

export function isShortener(hostname: string): boolean {
  return known.has(hostname) || known.has(hostname.replace(/^www\./, ''))
}
