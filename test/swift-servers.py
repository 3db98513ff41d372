"""Swift's proxy, account, container and object servers in one process: argv is a folder, the proxy's address and four ports."""
import logging
import sys

import eventlet
import eventlet.wsgi
from swift.common.ring import RingBuilder
from swift.common.utils import eventlet_monkey_patch, validate_configuration
from swift.common.wsgi import SwiftHttpProtocol, loadapp
from swift.proxy.server import Application

eventlet_monkey_patch()
validate_configuration()
home = sys.argv[1]
proxy_address = sys.argv[2]
names = ['proxy', 'account', 'container', 'object']
ports = dict(zip(names, map(int, sys.argv[3:])))
for name in names[1:]:
    builder = RingBuilder(2, 1, 0)
    builder.add_dev(dict(region=1, zone=1, ip='127.0.0.1', port=ports[name], device='d1',
                         weight=1, replication_ip='127.0.0.1', replication_port=ports[name]))
    builder.rebalance()
    builder.get_ring().save('%s/%s.ring.gz' % (home, name))


def create_only(app, header, name):
    """Swift creates an object only where there is none, if asked; its S3 interface refuses to ask.
    So the header goes past that interface under another name."""
    def call(*arguments):
        environ = arguments[-2]
        if environ['REQUEST_METHOD'] == 'PUT' and header in environ:
            environ[name] = environ.pop(header)
        return app(*arguments)
    return call


Application.__call__ = create_only(
    Application.__call__, 'HTTP_X_CREATE_ONLY', 'HTTP_IF_NONE_MATCH')
quiet = logging.getLogger('quiet')
quiet.addHandler(logging.NullHandler())
quiet.propagate = False
servers = []
for name in names[1:] + names[:1]:
    app = loadapp('%s/%s-server.conf' % (home, name))
    if name == 'proxy':
        app = create_only(app, 'HTTP_IF_NONE_MATCH', 'HTTP_X_CREATE_ONLY')
    address = proxy_address if name == 'proxy' else '127.0.0.1'
    listener = eventlet.listen((address, ports[name]), backlog=256)
    servers.append(eventlet.spawn(eventlet.wsgi.server, listener, app, quiet,
                                  protocol=SwiftHttpProtocol, max_size=1024))
print('ready', flush=True)
for server in servers:
    server.wait()
